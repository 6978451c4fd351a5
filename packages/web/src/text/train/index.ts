import { defineText } from '../define'
import { en } from './en'

export const train = defineText(en, { zh: async () => (await import('./zh')).zh })
