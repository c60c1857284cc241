/**
 * Loaded into every n8n process that is started here (`node --require`). When the program that
 * started it is gone, however it ended, the channel between them closes: then this one ends too.
 */
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
