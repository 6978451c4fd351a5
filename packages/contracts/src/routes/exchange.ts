import { z } from 'zod'
import {
  DataFacts,
  DataFactsRequest,
  DataFilesRequest,
  EXCHANGE_LIMITS,
  EXCHANGE_STREAMS,
  ExchangeControl,
  ExchangeFile,
  ExchangeFileState,
  ExchangeHeartbeat,
  ExchangeOffset,
  ExchangeOrder,
  exchangeDigest,
} from '../exchange.js'
import { BYTES, type RouteDeclaration } from './declaration.js'

const attempt = z.object({ job_id: z.uuid(), attempt: z.coerce.number().int().min(1) })
const offset = z.object({ offset: z.coerce.number().int().min(0) })

/**
 * What the node of a trainer speaks where it has no common folder with the service. Only the token of the attempt opens them, which its
 * process was started with: that of the service does not.
 */
export const EXCHANGE_ROUTES = {
  getExchangeOrder: {
    method: 'GET',
    path: '/api/exchange/{job_id}/{attempt}',
    tag: 'exchange',
    summary: 'What the trainer of an attempt begins with, and how much of its streams is kept',
    access: 'attempt',
    params: attempt,
    response: ExchangeOrder,
    errors: ['ATTEMPT_ENDED'],
  },
  sendExchangeHeartbeat: {
    method: 'POST',
    path: '/api/exchange/{job_id}/{attempt}/heartbeat',
    tag: 'exchange',
    summary: 'Tell that the trainer makes steps; the response is what it is asked for',
    access: 'attempt',
    params: attempt,
    body: ExchangeHeartbeat,
    response: ExchangeControl,
    errors: ['ATTEMPT_ENDED'],
  },
  sendExchangeStream: {
    method: 'PUT',
    path: '/api/exchange/{job_id}/{attempt}/streams/{stream}',
    tag: 'exchange',
    summary: 'Send what follows an offset of a stream; what is kept already is passed over',
    access: 'attempt',
    params: attempt.extend({ stream: z.enum(EXCHANGE_STREAMS) }),
    query: offset,
    takes: 'application/octet-stream',
    response: ExchangeOffset,
    errors: ['ATTEMPT_ENDED', 'UPLOAD_OFFSET', 'PAYLOAD_TOO_LARGE', 'INVALID_JSON'],
  },
  announceExchangeFile: {
    method: 'POST',
    path: '/api/exchange/{job_id}/{attempt}/files',
    tag: 'exchange',
    summary: 'Announce a file of the run; once its content has arrived it is put in its place',
    access: 'attempt',
    params: attempt,
    body: ExchangeFile,
    response: ExchangeFileState,
    errors: ['ATTEMPT_ENDED', 'PATH_NOT_ALLOWED', 'UPLOAD_DIGEST', 'UPLOAD_INCOMPLETE', 'CHECKPOINT_CORRUPT'],
  },
  sendExchangeFile: {
    method: 'PUT',
    path: '/api/exchange/{job_id}/{attempt}/files/{sha256}',
    tag: 'exchange',
    summary: 'Send the next piece of a content; what arrives is kept, also when the connection breaks',
    access: 'attempt',
    params: attempt.extend({ sha256: exchangeDigest }),
    query: offset,
    takes: 'application/octet-stream',
    response: ExchangeOffset,
    errors: ['ATTEMPT_ENDED', 'UPLOAD_OFFSET', 'PAYLOAD_TOO_LARGE', 'INVALID_JSON'],
  },
  getExchangeFacts: {
    method: 'POST',
    path: '/api/exchange/{job_id}/{attempt}/data/facts',
    tag: 'exchange',
    summary: 'What there is at paths that the training reads',
    access: 'attempt',
    params: attempt,
    body: DataFactsRequest,
    bodyBytes: EXCHANGE_LIMITS.exchange_list_bytes,
    bodyValues: EXCHANGE_LIMITS.exchange_list_values,
    response: DataFacts,
    errors: ['ATTEMPT_ENDED'],
  },
  getExchangeData: {
    method: 'POST',
    path: '/api/exchange/{job_id}/{attempt}/data/files',
    tag: 'exchange',
    summary:
      'Files that the training reads, one after the other: a line of JSON with size_bytes and modified (or missing), the content, and a line with its sha256',
    access: 'attempt',
    params: attempt,
    body: DataFilesRequest,
    bodyBytes: EXCHANGE_LIMITS.exchange_list_bytes,
    bodyValues: EXCHANGE_LIMITS.exchange_list_values,
    response: BYTES,
    gives: ['application/octet-stream'],
    errors: ['ATTEMPT_ENDED'],
  },
} as const satisfies Record<string, RouteDeclaration>
