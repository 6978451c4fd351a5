import { defineText } from '../define'
import { en } from './en'

export const login = defineText(en, { zh: async () => (await import('./zh')).zh })
