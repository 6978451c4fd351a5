import { defineText } from '../define'
import { en } from './en'

export const reports = defineText(en, { zh: async () => (await import('./zh')).zh })
