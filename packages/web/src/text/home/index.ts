import { defineText } from '../define'
import { en } from './en'

export const home = defineText(en, { zh: async () => (await import('./zh')).zh })
