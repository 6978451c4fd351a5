import { defineText } from '../define'
import { en } from './en'

export const shell = defineText(en, { zh: async () => (await import('./zh')).zh })
