import { defineText } from '../define'
import { en } from './en'

export const editor = defineText(en, { zh: async () => (await import('./zh')).zh })
