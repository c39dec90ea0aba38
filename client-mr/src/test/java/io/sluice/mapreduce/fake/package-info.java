/** Stand-ins for servers, coordinators and Hadoop. Each is used by one thread unless it says so. */
@org.jspecify.annotations.NullMarked
package io.sluice.mapreduce.fake;
