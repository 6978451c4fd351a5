import { defineText } from '../define'
import { en } from './en'

export const compare = defineText(en, { zh: async () => (await import('./zh')).zh })
