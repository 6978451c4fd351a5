import { defineText } from '../define'
import { en } from './en'

export const system = defineText(en, { zh: async () => (await import('./zh')).zh })
