import { counted } from '../counted.js'
import { chosenBaselines } from './baselines.js'
import { isGroup } from './device.js'
import type { TrainingConfig } from './training-config.js'

/** The same value as in the trainer (contract/members.py); testing/networks.json tests both with the same cases. */
const OF_A_TABLE = 5

/** Number of networks whose mean prediction is used: those of the table, or the single network that reads the image. */
function membersOf({ model, training }: Pick<TrainingConfig, 'model' | 'training'>): number {
  if (model.members !== null) return model.members
  const table = model.fusion_type === 'late' || model.vision_backbone === 'none'
  return table && !isGroup(training.device) ? OF_A_TABLE : 1
}

/** Number of networks that one training fits: its members, the separate image network, and the baselines that are networks. */
export function networksOf(config: TrainingConfig): number {
  const members = membersOf(config)
  const baselines = chosenBaselines(config).map((name) => {
    if (name === 'table_only') return members
    return name === 'image_only' ? 1 : 0
  })
  const own = members + (config.model.fusion_type === 'late' ? 1 : 0)
  return baselines.reduce<number>((sum, count) => sum + count, own)
}

/** Text such as `5 networks`. */
export function networksInWords(count: number): string {
  return counted(count, 'network')
}
