import { defineText } from '../define'
import { en } from './en'

export const workflows = defineText(en, { zh: async () => (await import('./zh')).zh })
