// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/cm/calls.hpp"
#include "soft/cm/manager.hpp"

#include <cerrno>

namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

int disconnect(rdma_cm_id* id) {
  manager& m = manager::instance();
  identifier& i = to_identifier(id);
  {
    const lock_type lock(m.mutex);
    if (i.state < id_state::looking) return fail(EINVAL);
  }
  {
    const std::lock_guard<std::mutex> qp_lock(i.qp_mutex);
    to_error(i);
  }
  {
    const lock_type lock(m.mutex);
    message goodbye;
    switch (i.state) {
      case id_state::accepted:
      case id_state::established:
        i.state = id_state::disconnecting;
        m.set_deadline(i, goodbye_timeout);
        goodbye.type = message_type::disconnect;
        m.send(i, goodbye);
        break;
      case id_state::asked_to:
        i.state = id_state::over;
        goodbye.type = message_type::disconnected;
        m.send(i, goodbye);
        return 0;
      default:
        return 0;  // there is nothing, or no longer anything, to end
    }
  }
  return complete(i);
}

int notify(rdma_cm_id* id, ibv_event_type event) {
  manager& m = manager::instance();
  identifier& i = to_identifier(id);
  const lock_type lock(m.mutex);
  if (event != IBV_EVENT_COMM_EST) return fail(EINVAL);
  if (i.state == id_state::established) return fail(EISCONN);
  if (i.state != id_state::accepted) return fail(EINVAL);
  // The other side's data has overtaken its message.
  i.state = id_state::established;
  i.deadline.reset();
  m.report(i, RDMA_CM_EVENT_ESTABLISHED);
  return 0;
}

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
