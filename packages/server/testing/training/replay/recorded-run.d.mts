import type { TrainerSpec } from '@medloom/contracts'

/** Identifies a training, independent of the location of the dataset: configuration, baselines and the content of the tables. */
export function keyOf(spec: Pick<TrainerSpec, 'config' | 'baselines' | 'roots'>): string

export function withoutNulls(value: unknown): unknown
