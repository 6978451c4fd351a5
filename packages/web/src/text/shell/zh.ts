import type { Translation } from '../define'
import type { en } from './en'

export const zh: Translation<typeof en> = {
  skip: '跳到正文',
  menu: '菜单',
  nav: '页面',
  'nav.home': '首页',
  'nav.data': '数据',
  'nav.train': '新建训练',
  'nav.runs': '运行',
  'nav.studies': '研究',
  'nav.models': '模型',
  'nav.workflows': '工作流',
  'nav.system': '系统',
  language: '语言',
  theme: '主题',
  'theme.system': '跟随系统',
  'theme.light': '浅色',
  'theme.dark': '深色',
  'connection.lost': '服务没有响应。您输入的内容不会丢失；服务恢复后，页面会自动重新连接。',
  'notFound.title': '页面不存在',
  'notFound.text': ({ path }) => `${path} 没有对应的页面。`,
}
