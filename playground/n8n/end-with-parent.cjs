/**
 * Loaded into every n8n process that is started here (`node --require`). When the parent process
 * exits or crashes, the channel between them closes, and this process exits too.
 */
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
