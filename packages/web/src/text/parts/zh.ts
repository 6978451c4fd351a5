import type { Translation } from '../define'
import type { en } from './en'

export const zh: Translation<typeof en> = {
  loading: '正在加载…',
  retry: '重试',
  cancel: '取消',
  close: '关闭',
  copy: '复制',
  copied: '已复制',
  clear: '清除',
  'table.selectAll': '选择所有显示的行',
  'table.select': ({ name }) => `选择 ${name}`,
  'problem.broken': '页面的这一部分出错了。',
  'job.started': '排队中',
  'job.running': '运行中',
  'job.completed': '已完成',
  'job.failed': '失败',
  'job.stopped': '已停止',
  'run.pending': '等待中',
  'run.running': '运行中',
  'run.success': '已完成',
  'run.error': '失败',
  'run.cancelled': '已取消',
}
