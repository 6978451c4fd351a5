import type { z } from 'zod'
import { DataConfig } from './data.js'
import { LoopConfig } from './loop.js'
import { ModelConfig } from './model.js'

/** A key whose text value is a path. Its declaration marks it with `names_path`: a table, a folder, another file, or a checkpoint. */
export interface PathKey {
  readonly section: 'data' | 'model' | 'training'
  readonly key: string
  readonly kind: 'table' | 'folder' | 'file' | 'checkpoint'
}

const SECTIONS = { data: DataConfig, model: ModelConfig, training: LoopConfig } as const

/** Keys of the training configuration that name a path, in declaration order. */
export const PATH_KEYS: readonly PathKey[] = Object.entries(SECTIONS).flatMap(([section, { shape }]) =>
  Object.entries(shape as Record<string, z.ZodType>).flatMap(([key, schema]) => {
    const kind = schema.meta()?.names_path as PathKey['kind'] | undefined
    return kind ? [{ section: section as PathKey['section'], key, kind }] : []
  }),
)

/** Reports whether a model reference is a checkpoint folder: ids contain no separator. */
export function namesFolder(reference: string): boolean {
  return /[/\\]/.test(reference)
}
