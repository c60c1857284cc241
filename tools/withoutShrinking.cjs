/** For mutation tests: one failing case is enough, and looking for a smaller one takes most of the time. */
require('fast-check').configureGlobal({ endOnFailure: true });
