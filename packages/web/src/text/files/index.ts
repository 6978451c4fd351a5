import { defineText } from '../define'
import { en } from './en'

export const files = defineText(en, { zh: async () => (await import('./zh')).zh })
