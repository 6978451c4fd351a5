import { defineText } from '../define'
import { en } from './en'

export const charts = defineText(en, { zh: async () => (await import('./zh')).zh })
