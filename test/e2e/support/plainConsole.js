// Prints progress unchanged: jest's own console adds the source location to each line.
global.console = require('node:console');
