import type { Translation } from '../define'
import type { en } from './en'

export const zh: Translation<typeof en> = {
  step: '步',
  raw: ({ name }) => `${name}（未平滑）`,
}
