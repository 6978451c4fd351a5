import { chosenBaselines } from './baselines.js'
import { isGroup } from './device.js'
import type { TrainingConfig } from './training-config.js'

/** As the trainer has it (contract/members.py); testing/networks.json holds both to the same cases. */
const OF_A_TABLE = 5

/** Networks whose mean predicts: those of the table, or the one of a network that reads the image. */
function membersOf({ model, training }: Pick<TrainingConfig, 'model' | 'training'>): number {
  if (model.members !== null) return model.members
  const table = model.fusion_type === 'late' || model.vision_backbone === 'none'
  return table && !isGroup(training.device) ? OF_A_TABLE : 1
}

/** Networks that one training trains: its members, that of the image beside them, and those of baselines that are networks. */
export function networksOf(config: TrainingConfig): number {
  const members = membersOf(config)
  const beside = chosenBaselines(config).map((name) => {
    if (name === 'table_only') return members
    return name === 'image_only' ? 1 : 0
  })
  const own = members + (config.model.fusion_type === 'late' ? 1 : 0)
  return beside.reduce<number>((sum, count) => sum + count, own)
}

/** `5 networks` */
export function networksInWords(count: number): string {
  return count === 1 ? '1 network' : `${count} networks`
}
