import { closeEngine } from './engine';

// Executions take real time, and more of it on a busy machine; nothing here is judged by how much.
jest.setTimeout(30_000);

afterAll(closeEngine);
