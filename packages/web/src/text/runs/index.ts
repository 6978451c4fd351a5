import { defineText } from '../define'
import { en } from './en'

export const runs = defineText(en, { zh: async () => (await import('./zh')).zh })
