import type { Translation } from '../define'
import type { en } from './en'

export const zh: Translation<typeof en> = {
  title: '登录',
  lead: '此服务需要令牌。',
  token: '令牌',
  hint: '请输入管理员给您的令牌，或启动服务时所用文件中的令牌：medloom serve --token-file FILE。',
  submit: '登录',
}
