import type { ContractWords } from './keys'
import { help } from './zh-help'
import { remedies } from './zh-remedies'
import { study } from './zh-study'
import { titles } from './zh-titles'

export const zh: ContractWords = {
  titles,
  help,
  study,
  remedies,
  guess: (name) => `您是指“${name}”吗？`,
}
