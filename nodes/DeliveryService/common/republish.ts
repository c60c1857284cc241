/**
 * How to make n8n call the methods of an unchanged trigger again, for the middle of a sentence: when
 * a trigger is unchanged, n8n 2 doesn't offer publishing, or publishes only the other nodes.
 */
export const republishHint =
	'unpublish the workflow, then publish it (in n8n 1, deactivate and activate it)';
