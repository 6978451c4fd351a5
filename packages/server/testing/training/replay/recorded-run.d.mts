import type { TrainerSpec } from '@medloom/contracts'

/** Tells what is trained, wherever the dataset is: configuration, simple models and the content of the tables. */
export function keyOf(spec: Pick<TrainerSpec, 'config' | 'baselines'>): string
