import type { Translation } from '../define'
import type { en } from './en'

export const zh: Translation<typeof en> = {
  title: '新建训练',
  lead: '六项设置起决定作用；其余都有默认值。',
  name: '名称',
  start: '开始训练',
  yaml: '同样内容的 YAML',
  'yaml.hint': '两边互相更新；注释和顺序会保留。',
  'yaml.broken': ({ line, message }) => `还不是合法的 YAML（第 ${line} 行）：${message}。表单暂停。`,
  'copy.yaml': '复制为 YAML',
  'copy.command': '复制为命令',
  'from.loading': '正在读取配置…',
  empty: '重新开始',
}
