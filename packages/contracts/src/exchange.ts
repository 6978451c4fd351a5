import { z } from 'zod'
import { TrainerControl, TrainerHeartbeat } from './trainer/run-files.js'
import { TrainerSpec } from './trainer/spec.js'

/** Data exchanged between a node and the service if they have no shared folder. */

/** Append-only files of an attempt, sent in pieces with an offset. */
export const EXCHANGE_STREAMS = ['events', 'resources', 'log'] as const
export type ExchangeStream = (typeof EXCHANGE_STREAMS)[number]

export const EXCHANGE_LIMITS = {
  /** Piece of a stream or a file, per request. */
  exchange_piece_bytes: 8 * 1024 * 1024,
  /** One file of a run. */
  exchange_file_bytes: 256 * 1024 ** 3,
  /** Files per request. */
  exchange_files: 1000,
  exchange_list_bytes: 8 * 1024 * 1024,
  exchange_list_values: 1_000_000,
} as const

const bytes = z.int().min(0)
const digest = z.string().regex(/^[0-9a-f]{64}$/)

/** Name of a folder, with its path at the service. */
const ExchangeRoot = z.strictObject({ name: z.string(), folder: z.string() })

/** Limit of a cache: bytes, or a share of the disk. */
const CacheSize = z.union([z.strictObject({ bytes }), z.strictObject({ share: z.number().min(0).max(1) })])

/** Initial message to a node. */
export const ExchangeOrder = z
  .strictObject({
    spec: TrainerSpec.meta({
      description: 'Specification with the paths of the service; the node replaces them by its own folders',
    }),
    roots: z
      .array(ExchangeRoot)
      .meta({ description: 'Folders that contain the paths of the specification and of the tables' }),
    streams: z
      .strictObject({ events: bytes, resources: bytes, log: bytes })
      .meta({ description: 'Number of stored bytes; for the log, of all attempts' }),
    node_cache: CacheSize.meta({
      description: 'Limit of the total size of all training data on the node',
    }),
  })
  .meta({ id: 'ExchangeOrder' })
export type ExchangeOrder = z.infer<typeof ExchangeOrder>

export const ExchangeOffset = z.strictObject({ offset: bytes }).meta({ id: 'ExchangeOffset' })

export const ExchangeHeartbeat = z.strictObject({ heartbeat: TrainerHeartbeat.nullable() })
export const ExchangeControl = z
  .strictObject({ request: TrainerControl.shape.request.nullable() })
  .meta({ id: 'ExchangeControl' })

/** A file of the run, by its path in the run directory. */
export const ExchangeFile = z.strictObject({
  path: z.string().min(1).max(500),
  size_bytes: bytes.max(EXCHANGE_LIMITS.exchange_file_bytes),
  sha256: digest,
  extends: z
    .strictObject({ size_bytes: bytes, sha256: digest })
    .nullable()
    .optional()
    .meta({ description: 'Start of the content that the file at this path must have' }),
})
export type ExchangeFile = z.infer<typeof ExchangeFile>

export const ExchangeFileState = z
  .strictObject({
    placed: z.boolean().meta({ description: 'Whether the file is complete and in its final place' }),
    offset: bytes.meta({ description: 'Offset of the next chunk' }),
  })
  .meta({ id: 'ExchangeFileState' })
export type ExchangeFileState = z.infer<typeof ExchangeFileState>

export const exchangeDigest = digest

/** A file or folder that a training may need, relative to a named root. */
const DataPath = z.strictObject({ root: z.string(), path: z.string().max(4096) })
export type DataPath = z.infer<typeof DataPath>

const FileFacts = z.strictObject({
  size_bytes: bytes,
  modified: z
    .string()
    .regex(/^-?\d+$/)
    .meta({ description: 'Modification time in nanoseconds since 1970' }),
})

export const DataFactsRequest = z.strictObject({
  files: z.array(DataPath).max(EXCHANGE_LIMITS.exchange_files),
})

/** Facts of each path, in order: null if it does not exist or the training may not read it. */
export const DataFacts = z
  .strictObject({
    facts: z.array(
      z
        .union([
          FileFacts,
          z.strictObject({
            files: z.record(z.string(), FileFacts),
            folders: z.array(z.string()),
          }),
        ])
        .nullable(),
    ),
  })
  .meta({ id: 'DataFacts' })
export type DataFacts = z.infer<typeof DataFacts>

export const DataFilesRequest = z.strictObject({
  files: z
    .array(DataPath.extend({ offset: bytes.default(0) }))
    .min(1)
    .max(EXCHANGE_LIMITS.exchange_files),
})
