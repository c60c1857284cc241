import { closeEngine } from './engine';

afterAll(closeEngine);
