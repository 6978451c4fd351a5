import { defineText } from '../define'
import { en } from './en'

export const forms = defineText(en, { zh: async () => (await import('./zh')).zh })
