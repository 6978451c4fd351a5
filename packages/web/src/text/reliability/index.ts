import { defineText } from '../define'
import { en } from './en'

export const reliability = defineText(en, { zh: async () => (await import('./zh')).zh })
