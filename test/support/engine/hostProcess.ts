import type { Workflow } from 'n8n-workflow';

/**
 * Stands for the n8n process that runs an execution, so that a test can kill it. Every way out of a
 * node (credentials, requests, the de-duplication store) asks `alive()` first: after `kill()` that
 * never answers, so that the node's code stops for ever where it stood, as in a killed process.
 */
export class HostProcess {
	readonly #controller = new AbortController();

	/** Aborts when the process is killed. */
	get killed(): AbortSignal {
		return this.#controller.signal;
	}

	/** Kills the process. Whatever its execution has not done by now, it never does. */
	kill(): void {
		this.#controller.abort();
	}

	/** Resolves at once while the process lives; never, once it was killed. */
	async alive(): Promise<void> {
		if (!this.killed.aborted) return;
		await new Promise<never>(() => undefined);
	}
}

const processes = new WeakMap<object, HostProcess>();

/** Notes which process runs a workflow, for `processOf`. */
export function assignProcess(workflow: Workflow, hostProcess: HostProcess): void {
	processes.set(workflow, hostProcess);
}

/**
 * The process that runs a workflow. The argument is the workflow object that n8n-core hands to its
 * de-duplication service, which is the running `Workflow` itself.
 */
export function processOf(workflow: object): HostProcess {
	return processes.get(workflow) ?? new HostProcess();
}
