import { closeEngine } from './engine/engine';

afterAll(closeEngine);
