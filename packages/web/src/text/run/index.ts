import { defineText } from '../define'
import { en } from './en'

export const run = defineText(en, { zh: async () => (await import('./zh')).zh })
