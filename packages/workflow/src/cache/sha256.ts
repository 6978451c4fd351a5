import { sha256 as digest } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

/** A digest over bytes, as lower-case hex. The service may pass in a native one. */
export type Hash = (bytes: Uint8Array) => string

/** SHA-256 without a platform: the engine computes keys synchronously, in a browser as in the service. */
export const sha256: Hash = (bytes) => bytesToHex(digest(bytes))
