import { defineText } from '../define'
import { en } from './en'

export const provenance = defineText(en, { zh: async () => (await import('./zh')).zh })
