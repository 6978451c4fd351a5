import { z } from 'zod'

/** Content of the result cache, and the entries that clearing removed. */
export const CacheState = z
  .object({
    results: z.int(),
    files: z.int().meta({ description: 'Files of the artifact store that results refer to' }),
    size_bytes: z.int(),
  })
  .meta({ id: 'CacheState' })

export const CacheCleared = z
  .object({ cleared: z.int().meta({ description: 'Results that were forgotten' }) })
  .meta({ id: 'CacheCleared' })
