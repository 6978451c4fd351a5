import { defineText } from '../define'
import { en } from './en'

export const metrics = defineText(en, { zh: async () => (await import('./zh')).zh })
