import { defineText } from '../define'
import { en } from './en'

export const origin = defineText(en, { zh: async () => (await import('./zh')).zh })
