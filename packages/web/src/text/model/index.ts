import { defineText } from '../define'
import { en } from './en'

export const model = defineText(en, { zh: async () => (await import('./zh')).zh })
