/* What a page of the cluster's may have at once: whoever wrote it is a stranger. */

/** Bytes of one answer that are taken; the rest is cut, and that is said. */
export const LONGEST_ANSWER = 16 << 20;
/** Bytes of what a form or a request sends. */
export const LONGEST_BODY = 8 << 20;
/** Characters of an address. */
export const LONGEST_ADDRESS = 16 << 10;
/** Headers of a request, and characters of all of them. */
export const MOST_HEADERS = 100;
export const LONGEST_HEADERS = 64 << 10;
/** Requests that are under way at once, and that wait. */
export const UNDER_WAY = 32;
export const WAITING = 512;
/** WebSockets of one document, subprotocols that one asks for, bytes of a message, either way. */
export const SOCKETS = 16;
export const MOST_PROTOCOLS = 20;
export const LONGEST_MESSAGE = 1 << 20;
/** Bytes that a document may send by one and nobody has taken, and that it is sent and has not taken. */
export const UNSENT = 4 << 20;
export const UNHEARD = 1 << 20;
/** Milliseconds after which a WebSocket ends that the document has closed, or of which it takes nothing. */
export const LINGERS = 60_000;
/** Redirects that are followed. */
export const REDIRECTS = 20;
/** Milliseconds until a document is given up. */
export const PATIENCE = 60_000;
/** Messages of one document in ten seconds, and of these such as change what the view says. */
export const MESSAGES = 10_000;
export const CHANGES = 300;
export const COUNTED_OVER = 10_000;
/** Steps of the history that are kept. */
export const STEPS = 100;
