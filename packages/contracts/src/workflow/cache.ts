import { z } from 'zod'

/** Content of the result cache, and the entries that clearing removed. */
export const CacheState = z
  .object({
    results: z.int(),
    files: z.int().meta({ description: 'Size of the files in the artifact store that results refer to' }),
    size_bytes: z.int(),
  })
  .meta({ id: 'CacheState' })

export const CacheCleared = z
  .object({ cleared: z.int().meta({ description: 'Number of cleared results' }) })
  .meta({ id: 'CacheCleared' })
