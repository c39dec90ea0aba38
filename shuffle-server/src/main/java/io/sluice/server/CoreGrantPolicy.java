package io.sluice.server;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.server.credit.GrantPolicy;
import io.sluice.server.quota.ByteQuota;
import io.sluice.server.quota.Quotas;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Applications weigh what their quotas let them hold; what is missing is what would have to change.
 *
 * @param disksFull whether there are disks and none has room
 */
record CoreGrantPolicy(Quotas quotas, BooleanSupplier disksFull) implements GrantPolicy {
  @Override
  public double weight(Object application) {
    return quotas.weight(application);
  }

  @Override
  public ErrorCode shortage(Object application) {
    @Nullable ByteQuota quota = application instanceof ApplicationId id ? quotas.find(id) : null;
    if (quota != null && quota.exhausted()) {
      return ErrorCode.QUOTA_EXCEEDED;
    }
    return disksFull.getAsBoolean() ? ErrorCode.NO_DISK_SPACE : ErrorCode.NO_MEMORY;
  }
}
