/**
 * What has n8n call the methods of a trigger that is as it was, in the middle of a sentence: n8n 2
 * offers no publishing then, or publishes the other nodes only.
 */
export const republishHint =
	'unpublish the workflow, then publish it (in n8n 1, turn it off and on)';
