import type { Workflow } from 'n8n-workflow';

/**
 * Simulates the n8n process of an execution, so that a test can kill it. Everything that a node calls
 * (credentials, requests, the deduplication store) awaits `alive()` first. After `kill()` it never
 * resolves, so the code of the node stops where it is, as in a killed process.
 */
export class HostProcess {
	readonly #controller = new AbortController();

	/** Aborts when the process is killed. */
	get killed(): AbortSignal {
		return this.#controller.signal;
	}

	/** Kills the process. Its execution does nothing more. */
	kill(): void {
		this.#controller.abort();
	}

	/** Resolves immediately while the process runs, and never after it is killed. */
	async alive(): Promise<void> {
		if (!this.killed.aborted) return;
		await new Promise<never>(() => undefined);
	}
}

const processes = new WeakMap<object, HostProcess>();

/** Assigns a workflow to the process that runs it, for `processOf`. */
export function assignProcess(workflow: Workflow, hostProcess: HostProcess): void {
	processes.set(workflow, hostProcess);
}

/**
 * The process that runs a workflow.
 *
 * @param workflow the running `Workflow`, which n8n-core passes to its deduplication service
 */
export function processOf(workflow: object): HostProcess {
	return processes.get(workflow) ?? new HostProcess();
}
