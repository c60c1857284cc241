const http = require('node:http');

// Prints progress unchanged: jest's own console adds the source location to each line.
global.console = require('node:console');

// A new connection for each request: a busy server may close a kept one just when it is used again.
http.globalAgent = new http.Agent();
