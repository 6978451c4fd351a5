import { defineText } from '../define'
import { en } from './en'

export const followUp = defineText(en, { zh: async () => (await import('./zh')).zh })
