import { defineText } from '../define'
import { en } from './en'

export const study = defineText(en, { zh: async () => (await import('./zh')).zh })
