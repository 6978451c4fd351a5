/** Durations that decide how long the client waits for the service, and when it sends a request again. */

// Requests
/** Time for a response, unless the options or the route give another. */
export const RESPONSE_SECONDS = 30
/** Time after which a request that has an Idempotency-Key is not repeated any more. */
export const RETRY_SECONDS = 60
/** Delay before the first repetition of a request; it doubles with each repetition. */
export const FIRST_RETRY_MILLISECONDS = 200
/** Upper limit of that delay. */
export const LONGEST_RETRY_MILLISECONDS = 5_000

// Uploads
/** Time without new stored bytes after which an upload fails. */
export const UPLOAD_RETRY_SECONDS = 300
/** Time for one piece of an upload, sufficient for a slow connection. */
export const PIECE_SECONDS = 600

// WebSockets
/** Time without contact after which a broken stream of messages is an error. */
export const RECONNECT_SECONDS = 300
/** Time without a message after which a socket counts as lost: a cut cable sends no close. */
export const SILENCE_MILLISECONDS = 45_000
