import { sha256 as digest } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

/** Digest of bytes as lower-case hex. The service may supply a native implementation. */
export type Hash = (bytes: Uint8Array) => string

/** SHA-256 without platform APIs: the engine computes keys synchronously, both in a browser and in the service. */
export const sha256: Hash = (bytes) => bytesToHex(digest(bytes))
