import { defineText } from '../define'
import { en } from './en'

export const data = defineText(en, { zh: async () => (await import('./zh')).zh })
