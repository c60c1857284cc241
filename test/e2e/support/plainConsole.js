// Progress as it is written: jest's own console adds to each line where it was written.
global.console = require('node:console');
